// Package jobs polls jobs.
package jobs
