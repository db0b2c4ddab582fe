import type * as core from 'weakincentives';
import type * as testing from 'weakincentives/testing';

/** The library under test, handed in so that the same test can be run on a deliberately broken copy of it. */
export type Library = typeof core & typeof testing;
