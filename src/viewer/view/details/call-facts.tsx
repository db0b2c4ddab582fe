import type { ComponentChildren, VNode } from 'preact';
import type { RecordedAttempt, RecordedCall } from '../../../record/index.ts';
import { timeIn } from '../../model/phases.ts';
import { clock, count, duration } from '../../model/words.ts';
import { Facts } from '../parts/parts.tsx';
import { useStore } from '../store/store.ts';

/** Waits shorter than this are not facts. */
const minWaitMs = 40;

/** When a call ran, how long it took and waited, and what it cost. */
export function CallFacts({
  call,
  attempt,
}: {
  readonly call: RecordedCall;
  readonly attempt: RecordedAttempt | undefined;
}): VNode {
  const store = useStore();
  const facts: (readonly [string, ComponentChildren])[] = [
    ['at', clock(attempt?.phases.startedAtMs ?? call.startedAtMs)],
  ];
  if (attempt !== undefined) {
    const place = timeIn(attempt, 'place');
    const asked = timeIn(attempt, 'asked');
    const turn = timeIn(attempt, 'turn');
    const decided = attempt.phases.handlerStartedAtMs === undefined;
    if (place > minWaitMs) facts.push(['waited for a place', duration(place)]);
    facts.push([decided ? 'decided in' : 'ran', duration(timeIn(attempt, 'ran'))]);
    if (asked > 0) facts.push(['waited for a person', duration(asked)]);
    if (turn > minWaitMs && attempt.outcome !== 'superseded')
      facts.push(['waited for its turn', duration(turn)]);
  }
  facts.push(['effects', call.effects ?? 'not known']);
  if (call.usage !== undefined)
    facts.push(['tokens inside', count((call.usage.inputTokens ?? 0) + (call.usage.outputTokens ?? 0))]);
  const { seq } = call;
  if (seq !== undefined && attempt?.outcome === 'committed')
    facts.push([
      'commit',
      <button class="link" onClick={() => store.showState(seq)}>
        {seq}, see state
      </button>,
    ]);
  return <Facts facts={facts} />;
}
