"""Pages of the labellers of sound descriptors that this site keeps."""
