import { constants } from 'node:fs';

/** 0 where the platform has no such flag; the checks that need it are then made on real paths alone. */
export const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0;
export const ONLY_DIRECTORY: number = constants.O_DIRECTORY ?? 0;
/** Opening a fifo or a device then returns at once instead of waiting for its other end. */
export const NO_WAITING: number = constants.O_NONBLOCK ?? 0;

/** Linux keeps one link per open file here; a path through it starts at the open directory, whatever becomes of its name. */
export const OPEN_FILES = '/proc/self/fd';
