import type { AnyTool, Session, ToolRuntimeCall, ToolRuntimeOutput } from 'weakincentives';
import { act } from './act.ts';
import type { Gate } from './gate.ts';
import { Added, Count } from './nested-setup.ts';

/** Counts of calls. */
export const total = (session: Session): number => session.slice(Count).latest()?.total ?? 0;

/** Calls without arguments, with the ids `c1`, `c2` and so on. */
export const callsOf = (...names: readonly string[]): readonly ToolRuntimeCall[] =>
  names.map((name, index) => ({ callId: `c${index + 1}`, name, arguments: '' }));

export const textsOf = (outputs: readonly ToolRuntimeOutput[]): readonly string[] =>
  outputs.map(({ text }) => text);

/** Changes something and waits at the gate; alone, so that what comes before it is committed by then. */
export const waitsInside = (inside: Gate): AnyTool =>
  act(
    'waits',
    async ({ session }) => {
      session.dispatch(Added, { by: 10 });
      await inside.pass();
    },
    { effects: 'external' },
  );
