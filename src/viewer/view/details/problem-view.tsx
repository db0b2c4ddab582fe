import type { JSX, VNode } from 'preact';
import type { RecordedProblem } from '../../../record/index.ts';
import { problemGroups } from '../../model/problem-groups.ts';
import { visible } from '../../model/visible.ts';
import { count, duration, type Mark, many } from '../../model/words.ts';
import { CallTitle, Capped, Item, TurnLink } from '../parts/parts.tsx';
import { useStore } from '../store/store.ts';

/** What a reader should see first: failures, then what cost time. */
export function ProblemView(): JSX.Element {
  const store = useStore();
  const { problems } = store.record.value;
  const failures = store.failures.value;
  if (problems.length === 0)
    return (
      <div class="none">
        <b>No problems</b>
        Every call was committed in its first attempt, and none had to wait for a person.
      </div>
    );
  const others = problems.length - failures;
  return (
    <>
      <div class="heading">
        <h2>Problems</h2>
      </div>
      <p class="lead">
        {many(failures, 'failure')}
        {others === 0 ? '.' : `, then ${many(others, 'thing')} that cost time or need a second view.`}
      </p>
      {problemGroups(problems).map(({ title, items }) => (
        <section key={title} class="problems">
          <h3>
            {title} <small>{count(items.length)}</small>
          </h3>
          <Capped items={items} noun="problem">
            {(item, index) => <Problem key={index} problem={item.problem} mark={item.mark} />}
          </Capped>
        </section>
      ))}
    </>
  );
}

function Problem(props: { readonly problem: RecordedProblem; readonly mark: Mark }): VNode {
  const { call, turn, text, durationMs, count: times } = props.problem;
  return (
    <Item
      mark={props.mark}
      end={
        durationMs !== undefined
          ? duration(durationMs)
          : times > 1
            ? `×${count(times)}`
            : visible(call?.reason ?? '')
      }
    >
      {call !== undefined ? <CallTitle call={call} /> : turn !== undefined ? <TurnLink turn={turn} /> : null}
      <p>{visible(text)}</p>
    </Item>
  );
}
