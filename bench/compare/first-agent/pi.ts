import { cell } from '../harness/cell.ts';
import { piModel, piStream } from '../systems/pi.ts';
import { ask } from './agents/pi.ts';
import { measure, script } from './case.ts';

await cell(() =>
  measure('pi', ['@earendil-works/pi-agent-core', '@earendil-works/pi-ai', '@earendil-works/pi-schema'], () =>
    ask(piModel, piStream(script)),
  ),
);
