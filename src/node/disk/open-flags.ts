import { constants } from 'node:fs';

/** 0 where the platform has no such flag; the checks that need it then use real paths alone. */
export const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0;
export const ONLY_DIRECTORY: number = constants.O_DIRECTORY ?? 0;
/** Makes opening a fifo or a device return at once instead of waiting for its other end. */
export const NO_WAITING: number = constants.O_NONBLOCK ?? 0;

/** Linux keeps one link per open file here; a path through it starts at the open directory, even after a rename. */
export const OPEN_FILES = '/proc/self/fd';
