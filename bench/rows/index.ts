import type { BenchRow } from '../harness/row.ts';
import { agentLoopRows } from './agent-loop.ts';
import { diskRows } from './components-disk.ts';
import { installRows } from './components-install.ts';
import { journalRows } from './components-journal.ts';
import { mcpRows } from './components-mcp.ts';
import { promptRows } from './components-prompt.ts';

import { sandboxRows } from './components-sandbox.ts';
import { sessionRows } from './components-session.ts';
import { stateRows } from './components-state.ts';
import { viewerRows } from './components-viewer.ts';
import { longContextRows } from './long-context.ts';
import { longRunRows } from './long-run.ts';
import { sessionsRows } from './sessions.ts';
import { startRows } from './start.ts';
import { switchedOnRows } from './switched-on.ts';
import { traceRows } from './trace.ts';

/** Every row of the table, in its order. */
export const benchRows: readonly BenchRow[] = [
  ...traceRows,
  ...agentLoopRows,
  ...startRows,
  ...stateRows,
  ...sessionRows,
  ...diskRows,
  ...sandboxRows,
  ...promptRows,
  ...switchedOnRows,
  ...journalRows,
  ...mcpRows,
  ...viewerRows,
  ...installRows,
  ...sessionsRows,
  ...longContextRows,
  ...longRunRows,
];
