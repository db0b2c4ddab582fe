/** When changes are written to the folder: all of them at the end of a run that went well, or those of each call as it succeeds. */
export type ApplyMode = 'end' | 'each';
