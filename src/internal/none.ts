/** The list of nothing, of whatever there might be: one for all, so that saying that there is none makes no object. */
export const none: readonly never[] = Object.freeze([]);
