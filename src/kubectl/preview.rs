//! What an apply would do, before it is done.
