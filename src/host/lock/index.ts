export {
  hasEnded,
  isNearby,
  type ProcessIdentity,
  presentProcess,
  readIdentity,
} from './process-identity.ts';
