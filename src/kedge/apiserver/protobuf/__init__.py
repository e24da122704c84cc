"""Protobuf as Kubernetes writes it: how typed Go clients send and take the built-in kinds."""
