export * from './hosted/index.ts';
export * from './planning/index.ts';
export * from './vfs/index.ts';
