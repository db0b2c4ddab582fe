import type { JSX, VNode } from 'preact';
import { cutLine } from '../../../core/internal/index.ts';
import type { RecordedAttempt, RecordedCall } from '../../../record/index.ts';
import { attemptNote, callLead } from '../../model/call-lead.ts';
import { timeIn } from '../../model/phases.ts';
import { innerName, turnOf } from '../../model/turns.ts';
import { visible } from '../../model/visible.ts';
import { clock, count, duration, endOfAttempt, many, markOf, wordOf } from '../../model/words.ts';
import { Changes } from '../files/changes.tsx';
import {
  CallLink,
  Capped,
  Empty,
  type Fact,
  Facts,
  Fold,
  Icon,
  Item,
  Pairs,
  Section,
  TextBox,
  TurnLink,
} from '../parts/parts.tsx';
import { useStore } from '../store/store.ts';
import { CallPolicies } from './call-policies.tsx';

interface CallProps {
  readonly call: RecordedCall;
  readonly attempt: RecordedAttempt | undefined;
}

/** One call, in the order of the questions that a reader has. */
export function CallView({ call }: { readonly call: RecordedCall }): JSX.Element {
  const store = useStore();
  const last = call.attempts.at(-1);
  const wanted = store.attempts.value.get(call.id);
  const attempt = call.attempts.find(({ number }) => number === wanted) ?? last;
  const outcome = attempt?.outcome ?? call.outcome;
  const { mark, word } =
    attempt === undefined ? { mark: markOf(outcome), word: wordOf(outcome) } : endOfAttempt(attempt);
  const isLast = attempt === last;
  return (
    <>
      <Crumb call={call} />
      <div class="heading">
        <h2 class="mono">{visible(call.toolName)}</h2>
        <span class={`outcome ${mark}`}>
          <Icon mark={mark} /> {word}
          {isLast && call.reason !== undefined && call.reason !== outcome ? (
            <span class="mono">{`  ${call.reason}`}</span>
          ) : null}
        </span>
      </div>
      <p class="lead">{callLead(call, attempt, isLast)}</p>
      {call.isRedacted ? <p class="mute">Parts of this call were redacted when it was recorded.</p> : null}
      {call.attempts.length > 1 ? (
        <div class="segments attempts" role="group" aria-label="Attempts">
          {call.attempts.map((each) => (
            <button
              key={each.number}
              aria-pressed={each === attempt}
              onClick={() => {
                store.attempts.value = new Map(store.attempts.value).set(call.id, each.number);
              }}
            >
              <Icon mark={endOfAttempt(each).mark} />
              {`Attempt ${each.number}${attemptNote(call, each)}`}
            </button>
          ))}
        </div>
      ) : null}
      <CallFacts call={call} attempt={attempt} />
      <Arguments call={call} />
      <ReadByModel call={call} isLast={isLast} outcome={outcome} />
      <Inner call={call} />
      {attempt === undefined ? (
        <Section
          title="Changes"
          empty="The record has no attempt at this call: it had not ended when the record did."
        />
      ) : (
        <Changes call={call} attempt={attempt} />
      )}
      {attempt === undefined ? null : <Conflicts attempt={attempt} />}
      <CallPolicies call={call} attempt={attempt} />
      <Reads attempt={attempt} />
      <Outside call={call} />
      <Progress call={call} />
    </>
  );
}

/** When a call ran, how long it took and waited, and what it cost. */
function CallFacts({ call, attempt }: CallProps): VNode {
  const store = useStore();
  const { seq, usage } = call;
  const tokens = usage && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  return (
    <Facts
      facts={[
        ['at', clock(attempt?.phases.startedAtMs ?? call.startedAtMs)],
        ...(attempt === undefined
          ? []
          : attemptFacts(attempt, call.attempts[call.attempts.indexOf(attempt) - 1])),
        ['effects', call.effects ?? 'not known'],
        ['tokens inside', tokens && count(tokens)],
        [
          'commit',
          seq !== undefined && attempt?.outcome === 'committed' ? (
            <button class="link" onClick={() => store.showState(seq)}>
              {seq}, see state
            </button>
          ) : undefined,
        ],
      ]}
    />
  );
}

/** Waits shorter than this are not facts. */
const minWaitMs = 40;

function attemptFacts(attempt: RecordedAttempt, before: RecordedAttempt | undefined): readonly Fact[] {
  const waited = (kind: 'place' | 'asked' | 'turn', leastMs: number): string | undefined => {
    const ms = timeIn(attempt, before, kind);
    return ms > leastMs ? duration(ms) : undefined;
  };
  const isDecided = attempt.phases.handlerStartedAtMs === undefined;
  return [
    ['waited for a place', waited('place', minWaitMs)],
    [isDecided ? 'decided in' : 'ran', duration(timeIn(attempt, before, 'ran'))],
    ['waited for a person', waited('asked', 0)],
    ['waited for its turn', attempt.outcome === 'superseded' ? undefined : waited('turn', minWaitMs)],
  ];
}

function Crumb({ call }: { readonly call: RecordedCall }): VNode {
  const outer = call.run.parent?.call;
  const turn = turnOf(call);
  return (
    <p class="crumb">
      {outer === undefined ? null : (
        <>
          <CallLink call={outer} /> /{' '}
        </>
      )}
      {turn === undefined ? `Turn ${call.turn}` : <TurnLink turn={turn} />} /{' '}
      <span class="mono">{visible(call.callId)}</span>
    </p>
  );
}

function Arguments({ call }: { readonly call: RecordedCall }): VNode {
  const { params } = call;
  const isEmpty = typeof params === 'object' && params !== null && Object.keys(params).length === 0;
  return (
    <Section title="Arguments">
      {params === undefined ? (
        <Empty>They were not JSON, or are not in the record.</Empty>
      ) : isEmpty ? (
        <Empty>None.</Empty>
      ) : (
        <Pairs value={params} />
      )}
    </Section>
  );
}

function ReadByModel(props: {
  readonly call: RecordedCall;
  readonly isLast: boolean;
  readonly outcome: RecordedCall['outcome'] | 'superseded';
}): VNode {
  const { call, isLast, outcome } = props;
  const { modelText } = call;
  const title = 'What the model read';
  if (!isLast)
    return (
      <Section title={title} empty="Nothing of this attempt: it reads only what the last one returns." />
    );
  if (modelText === undefined)
    return <Section title={title} empty="Nothing: the call has no result in this record." />;
  return (
    <Section title={title} note={`about ${many(Math.ceil(modelText.length / 4), 'token')}`}>
      <TextBox
        label={title}
        text={modelText}
        class={outcome === 'committed' ? '' : `failed ${markOf(outcome)}`}
      />
      {call.wholeText === undefined ? null : (
        <Fold
          summary={`An excerpt: all of it is kept as ${visible(call.resultId ?? '')}`}
          text={() => call.wholeText ?? ''}
        />
      )}
      {call.error === undefined ? null : (
        <p class="after">
          <span class="mono">{visible(call.error.name)}</span>
          {call.error.code === undefined ? '' : ` ${visible(call.error.code)}`}:{' '}
          {visible(cutLine(call.error.message, 400))}
        </p>
      )}
      {call.feedback.map((feedback, index) => (
        <p key={index} class="after">
          <b>{visible(feedback.provider)}</b>{' '}
          {feedback.outcome === 'given'
            ? `gave feedback (${feedback.severity}): ${visible(feedback.message)}`
            : feedback.outcome === 'silent'
              ? 'had no feedback.'
              : `failed: ${visible(feedback.error.message)}`}
        </p>
      ))}
      {call.openedSections.length === 0 ? null : (
        <p class="after">Opened sections: {visible(call.openedSections.join(', '))}.</p>
      )}
      {call.value === undefined ? null : (
        <Fold summary="Value" text={() => JSON.stringify(call.value, null, 2)} />
      )}
    </Section>
  );
}

function Inner({ call }: { readonly call: RecordedCall }): VNode | null {
  if (call.inner.length === 0) return null;
  const turns = call.inner.flatMap((run) => run.turns);
  const calls = turns.reduce((sum, turn) => sum + turn.calls.length, 0);
  return (
    <Section title="Evaluations inside" note={`${many(turns.length, 'turn')}, ${many(calls, 'call')}`}>
      {call.inner.map((run) => (
        <div key={run.index}>
          <p class="mute">
            {visible(innerName(run))}
            {call.attempts.length > 1 && run.parent !== undefined ? `, in attempt ${run.parent.attempt}` : ''}
          </p>
          <Capped items={run.turns} noun="turn">
            {(turn) => (
              <Item
                key={turn.number}
                number={turn.number}
                end={turn.response === undefined ? '' : duration(turn.response.durationMs)}
              >
                <TurnLink turn={turn} label={visible(cutLine(turn.response?.text ?? '', 80)) || undefined} />
                <p class="mono">{visible(turn.calls.map(({ toolName }) => toolName).join(', '))}</p>
              </Item>
            )}
          </Capped>
        </div>
      ))}
    </Section>
  );
}

const otherReason = 'It was superseded for another reason than a conflict.';

function Conflicts({ attempt }: { readonly attempt: RecordedAttempt }): VNode | null {
  const store = useStore();
  const hasNone = attempt.conflicts.length === 0;
  if (hasNone && (attempt.outcome !== 'superseded' || attempt.isSuspended === true)) return null;
  return (
    <Section title="Conflicts" empty={hasNone ? otherReason : undefined}>
      {attempt.conflicts.map(({ what, by }, index) => {
        const writers = by.map((id) => ({ id, call: store.record.value.call(id) }));
        return (
          <Item
            key={index}
            mark="superseded"
            end={writers[0]?.call?.endedAtMs === undefined ? '' : clock(writers[0].call.endedAtMs)}
          >
            <span class="mono">{visible(what)}</span>
            <p>
              read by this attempt, changed by{' '}
              {writers.length === 0
                ? 'something outside of the calls'
                : writers.map(({ id, call }) =>
                    call === undefined ? (
                      <span key={id} class="mono">{`${visible(id)} `}</span>
                    ) : (
                      <span key={id}>
                        <CallLink call={call} /> {visible(call.toolName)}{' '}
                      </span>
                    ),
                  )}
            </p>
          </Item>
        );
      })}
    </Section>
  );
}

function Reads({ attempt }: { readonly attempt: RecordedAttempt | undefined }): VNode {
  const reads = attempt?.reads ?? [];
  return (
    <Section
      title="Read set"
      note="a change of these makes it run again"
      empty={reads.length === 0 ? 'Empty: nothing can conflict with it.' : undefined}
    >
      <p class="mono reads">
        <Capped items={reads} noun="read">
          {(read, index) => <span key={index}>{visible(read.what)}</span>}
        </Capped>
      </p>
    </Section>
  );
}

const nothingOutside = 'Nothing. The tool has no effects outside of state and files, or it did not run.';

function Outside({ call }: { readonly call: RecordedCall }): VNode | null {
  if (call.outcome === 'committed' || call.outcome === undefined) return null;
  return (
    <Section title="Left outside" empty={call.residualEffects.length === 0 ? nothingOutside : undefined}>
      {call.residualEffects.map((effect, index) => (
        <p key={index}>{visible(effect)}</p>
      ))}
    </Section>
  );
}

function Progress({ call }: { readonly call: RecordedCall }): VNode | null {
  if (call.progress.length === 0) return null;
  return (
    <Section title="Progress" note={many(call.progress.length, 'update')}>
      <Capped items={call.progress} noun="update">
        {({ atMs, update }, index) => (
          <Item key={index} end={clock(atMs)}>
            <span class="mono">
              {visible(cutLine(typeof update === 'string' ? update : JSON.stringify(update), 300))}
            </span>
          </Item>
        )}
      </Capped>
    </Section>
  );
}
