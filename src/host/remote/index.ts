export { encodeFrame, FrameReader } from './frames.ts';
export {
  type RemoteCall,
  RemoteCalls,
  type RemoteMessage,
  RemoteTransfer,
} from './remote-calls.ts';
export { packError, type RemoteError, unpackError } from './remote-error.ts';
export { RemoteProcess } from './remote-process.ts';
export { RemoteThread } from './remote-thread.ts';
