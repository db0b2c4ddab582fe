export * from './planning/index.ts';
export * from './vfs/index.ts';
