"""What templates may ask for beside what Django gives them."""
