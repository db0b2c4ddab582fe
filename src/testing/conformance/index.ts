export {
  adapterConformance,
  type ConformanceCase,
  type ConformanceOptions,
} from './conformance-case.ts';
export { ConformanceError, type ConformanceErrorCode } from './expect.ts';
export type {
  ConformanceConnection,
  ConformanceFeature,
  ConformanceGap,
  ConformanceMode,
  ConformancePeer,
  ConformanceProvider,
  ConformanceRefusedCase,
} from './peer.ts';
export type { ConformanceItem, ConformanceRequest } from './request.ts';
export type {
  ConformanceAnswer,
  ConformanceCall,
  ConformanceFragment,
  ConformanceRefusal,
  ConformanceSearch,
  ConformanceTurn,
} from './turn.ts';
