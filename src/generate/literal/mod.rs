//! Literals of source code for values from outside: quoted so that no text becomes code.

pub mod go;
pub mod javascript;
pub mod python;
