//! How the running program was installed, from where it lies.
