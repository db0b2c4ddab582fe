import { argumentText, type CountInput } from '../systems/count-tool.ts';
import { askForCalls, sayLast } from '../systems/pi-script.ts';
import type { SessionModel } from './run-sessions.ts';

/** What a model of either pi says in a session, one turn a call of the function. */
export function piTurns({ turns, think, passGate }: SessionModel) {
  let turn = 0;
  return async () => {
    await think();
    turn += 1;
    if (turn <= turns) return askForCalls([{ id: `call-${turn}`, text: argumentText }]);
    await passGate();
    return sayLast();
  };
}

/** What the tool of either pi does. */
export function countOne({ id, count }: CountInput) {
  const output = { id, total: count + 1 };
  return { content: [{ type: 'text' as const, text: JSON.stringify(output) }], details: output };
}
