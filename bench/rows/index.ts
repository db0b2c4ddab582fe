import type { BenchRow } from '../harness/row.ts';
import { agentLoopRows } from './agent-loop.ts';

/** Every row of the table, in its order. */
export const benchRows: readonly BenchRow[] = [...agentLoopRows];
