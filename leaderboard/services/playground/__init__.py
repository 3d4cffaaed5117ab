"""The playground: trying the metrics on a caption that a reader types; nothing is stored."""
