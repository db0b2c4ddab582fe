/**
 * What every adapter and every journal has to do, as cases for any test runner.
 *
 * Runs in any runtime; the cases of journals need Node.
 *
 * @module weakincentives/conformance
 */

export {
  adapterConformance,
  type ConformanceCase,
  type ConformanceOptions,
} from '../testing/conformance/conformance-case.ts';
export { ConformanceError, type ConformanceErrorCode } from '../testing/conformance/expect.ts';
export type {
  ConformanceConnection,
  ConformanceFeature,
  ConformanceGap,
  ConformanceMode,
  ConformancePeer,
  ConformanceProvider,
  ConformanceRefusedCase,
} from '../testing/conformance/peer.ts';
export type { ConformanceItem, ConformanceRequest } from '../testing/conformance/request.ts';
export type {
  ConformanceAnswer,
  ConformanceCall,
  ConformanceFragment,
  ConformanceRefusal,
  ConformanceSearch,
  ConformanceTurn,
} from '../testing/conformance/turn.ts';
export { durableConformance } from '../testing/durable/durable-conformance.ts';
export type { DurableConformanceOptions } from '../testing/durable/options.ts';
