"""Pods and the pod templates that other workloads hold."""
