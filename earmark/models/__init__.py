"""Encoders and other models: loading, batching by length, device."""
