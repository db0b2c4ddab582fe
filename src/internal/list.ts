/** An empty list of any type: one frozen object for all who need one. */
export const none: readonly never[] = Object.freeze([]);
