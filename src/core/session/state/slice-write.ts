import type { SliceStep } from '../slice/slice-step.ts';

/** A step of one slice. Applied in order, such steps make one state of a session into another. */
export type SliceWrite = { readonly slice: string } & SliceStep;
