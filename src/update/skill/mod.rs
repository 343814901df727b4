//! The Agent Skill that belongs to this program: what it must be, where it is installed, how it gets there.
