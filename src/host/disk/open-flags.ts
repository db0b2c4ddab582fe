import { constants } from 'node:fs';

/** 0 where the platform has no such flag; the checks that need it then use real paths alone. */
export const noFollow: number = constants.O_NOFOLLOW ?? 0;
export const onlyDirectory: number = constants.O_DIRECTORY ?? 0;
/** Makes opening a fifo or a device return at once instead of waiting for its other end. */
export const noWaiting: number = constants.O_NONBLOCK ?? 0;

/** Linux keeps one link per open file here; a path through it starts at the open directory, even after a rename. */
export const openFiles = '/proc/self/fd';
