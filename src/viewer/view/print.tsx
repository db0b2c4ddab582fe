import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { cutLine, startOf } from '../../core/internal/index.ts';
import { lengthOf } from '../model/phases.ts';
import { problemGroups } from '../model/problem-groups.ts';
import { layoutStrip } from '../model/strip.ts';
import { headlineOf, turnId } from '../model/turns.ts';
import { visible } from '../model/visible.ts';
import { brief, duration, many, markOf } from '../model/words.ts';
import { Sentence } from './header.tsx';
import { Icon } from './parts/parts.tsx';
import { useStore } from './store/store.ts';
import { StripDrawing } from './timeline/strip.tsx';

const width = 700;
const maxTurns = 80;
const maxCallsPerTurn = 12;
const maxProblems = 40;

/** What is printed: the sentence, the strip, the problems and the turns. It is built when printing begins. */
export function Print(): VNode | null {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const media = matchMedia('print');
    const follow = (): void => setPrinting(media.matches);
    follow();
    media.addEventListener('change', follow);
    const begin = (): void => setPrinting(true);
    addEventListener('beforeprint', begin);
    return () => {
      media.removeEventListener('change', follow);
      removeEventListener('beforeprint', begin);
    };
  }, []);
  return isPrinting ? <Sheet /> : null;
}

function Sheet(): VNode {
  const store = useStore();
  const record = store.record.value;
  const { root, problems } = record;
  const strip = useMemo(() => layoutStrip(record, width), [record]);
  return (
    <section id="print">
      <h1>{visible(`${root.agent ?? root.promptName}, ${record.runId}`)}</h1>
      <p>
        <Sentence isLive={false} />
      </p>
      <svg viewBox={`0 0 ${width} 92`}>
        <StripDrawing strip={strip} width={width} id="hatch-print" />
      </svg>
      <h2>{many(problems.length, 'problem')}</h2>
      <div class="columns two">
        {problemGroups(problems.slice(0, maxProblems)).flatMap(({ title, items }) =>
          items.map(({ problem, mark }, index) => (
            <p key={`${title} ${index}`}>
              <Icon mark={mark} />
              <span>
                {visible(
                  `${title}: ${problem.call === undefined ? '' : `${problem.call.toolName} ${problem.call.id}. `}${problem.text}`,
                )}
              </span>
            </p>
          )),
        )}
        <Others count={problems.length - maxProblems} />
      </div>
      <h2>Turns</h2>
      <div class="columns">
        {root.turns.slice(0, maxTurns).map((turn) => (
          <section key={turnId(turn)}>
            <b>{visible(`${turn.number}  ${cutLine(headlineOf(turn).text, 120)}`)}</b>
            {turn.calls.slice(0, maxCallsPerTurn).map((call) => (
              <p key={call.id}>
                <Icon mark={markOf(call.outcome)} />
                <span>
                  {visible(startOf(`${call.toolName} ${brief(call)}`, 38))}
                  {call.attempts.length > 1 ? ` ×${call.attempts.length}` : ''}
                </span>
                <span>{duration(lengthOf(call))}</span>
              </p>
            ))}
            <Others count={turn.calls.length - maxCallsPerTurn} />
          </section>
        ))}
        <Others count={root.turns.length - maxTurns} noun="other turn" />
      </div>
    </section>
  );
}

/** How many there are besides those above. */
function Others(props: { readonly count: number; readonly noun?: string }): VNode | null {
  const { count, noun = 'other' } = props;
  return count > 0 ? <p>{`and ${many(count, noun)}`}</p> : null;
}
