//! Typed Kubernetes objects.
