/** The empty list of any type: one shared frozen object. */
export const none: readonly never[] = Object.freeze([]);
