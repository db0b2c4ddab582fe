export { FolderLease } from './folder-lease.ts';
export { FolderLock, removeIfExists } from './folder-lock.ts';
export {
  hasEnded,
  holderIn,
  isAlive,
  isNearby,
  machineTickMs,
  type ProcessIdentity,
  presentProcess,
  readIdentity,
} from './process-identity.ts';
export { sha256Of } from './sha256.ts';
export { openStateFolder, stateFolderOf, userStateFolder } from './state-folder.ts';
