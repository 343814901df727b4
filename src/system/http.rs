//! HTTP GET, bounded in size and time.
