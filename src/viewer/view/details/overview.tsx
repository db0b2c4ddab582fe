import type { JSX, VNode } from 'preact';
import type { JsonObject } from '../../../core/schema/index.ts';
import { turnsText } from '../../../record/index.ts';
import {
  approvalsOf,
  askedText,
  changedFiles,
  inputOf,
  modelsOf,
  openQuestions,
  readAdvice,
  writtenText,
} from '../../model/overview.ts';
import { spentOf } from '../../model/spent.ts';
import { isObject } from '../../model/tables.ts';
import { visible } from '../../model/visible.ts';
import { count, many } from '../../model/words.ts';
import { FileDiff } from '../files/file-diff.tsx';
import { Commands } from '../parts/commands.tsx';
import { CallTitle, Capped, Empty, Item, LongText, Pairs, Section, TurnLink } from '../parts/parts.tsx';
import { useSignal } from '../store/signals.ts';
import { useStore } from '../store/store.ts';

/** What became of the run, what it was asked and answered, what it spent, and how to continue. */
export function Overview(): JSX.Element {
  const store = useStore();
  const record = store.record.value;
  const { root } = record;
  const { kind } = store.outcome.value;
  const input = inputOf(root);
  const approvals = approvalsOf(record, Date.now());
  const files = changedFiles(record);
  return (
    <>
      <h2 class="spoken">Overview</h2>
      <Cause />
      {input.length === 0 ? null : (
        <Section title="Input">
          {input.map((text, index) => (
            <p key={index} class="card said">
              <LongText text={text} />
            </p>
          ))}
        </Section>
      )}
      <Answer />
      <Spent />
      {approvals.length === 0 ? null : (
        <Section title="Approvals">
          <div class="card list">
            <Capped items={approvals} noun="approval">
              {({ call, toolName, words, approved }, index) => (
                <Item
                  key={index}
                  mark={approved === undefined ? 'ask' : approved ? 'ok' : 'denied'}
                  end={approved === undefined ? 'open' : approved ? 'approved' : 'not approved'}
                >
                  {call === undefined ? (
                    <span class="mono">{visible(toolName)}</span>
                  ) : (
                    <CallTitle call={call} />
                  )}
                  <p>{visible(words)}</p>
                </Item>
              )}
            </Capped>
          </div>
        </Section>
      )}
      {files.length === 0 ? null : (
        <Section
          title="Files"
          note={[`${count(files.length)} changed`, writtenText(record, kind)]
            .filter((text) => text !== '')
            .join(', ')}
        >
          <div class="card list">
            <Capped items={files} noun="file">
              {({ path, words }) => (
                <Item key={path} mark="ok" end={words}>
                  <span class="mono">{visible(path)}</span>
                </Item>
              )}
            </Capped>
          </div>
        </Section>
      )}
      {kind === 'running' ? null : <Commands />}
      <Redactions />
    </>
  );
}

/** What ended the run, or what it waits for. */
function Cause(): VNode | null {
  const store = useStore();
  const record = store.record.value;
  const { kind, call, code, phase, message, failures } = store.outcome.value;
  if (kind === 'waiting') {
    const questions = openQuestions(record);
    return (
      <Section
        title="What it waits for"
        empty={questions.length === 0 ? 'Every question is answered: the run can continue.' : undefined}
      >
        {questions.map((question) => (
          <div key={question.id} class="card">
            {question.call === undefined ? (
              <b class="mono">{visible(question.toolName)}</b>
            ) : (
              <CallTitle call={question.call} />
            )}
            {' · '}
            {visible(question.policy)}
            <p>{visible(question.reason)}</p>
            <p class="mute">{`${sentence(askedText(question, record, Date.now()))}.`}</p>
            {question.call?.attempts.at(-1)?.files.map((file) => (
              <FileDiff key={file.path} change={file} />
            ))}
          </div>
        ))}
      </Section>
    );
  }
  if (kind === 'finished' || kind === 'running') return null;
  const equal = failures.find(({ calls }) => call !== undefined && calls.includes(call));
  const calls = equal?.calls ?? (call === undefined ? [] : [call]);
  const last = record.root.turns.at(-1);
  const { maxRepeatedFailures } = record.root.limits ?? {};
  const limit =
    code === 'evaluation-failures-repeated' && maxRepeatedFailures !== undefined
      ? `, nothing committed in between; the limit is ${many(maxRepeatedFailures, 'turn')}`
      : '';
  const whatToDo = code === undefined ? undefined : advice.get(code);
  return (
    <Section title="What ended the run">
      <div class={kind === 'failed' ? 'card bad' : 'card'}>
        {call === undefined ? (
          message === undefined ? null : (
            <p class="mono">{visible(message)}</p>
          )
        ) : (
          <p>
            <CallTitle call={call} />
          </p>
        )}
        <p>
          {calls.length > 0 ? `${sentence(turnsText(calls))}, ${many(calls.length, 'call')}${limit}.` : null}
        </p>
        {calls.length === 0 && last !== undefined ? (
          <p>
            The last that is known: <TurnLink turn={last} />.
          </p>
        ) : null}
        {call?.effects === 'external' ? (
          <p>An external tool: what it did outside before it failed stays.</p>
        ) : null}
        {code === undefined ? null : (
          <p class="mute">
            <span class="mono">{visible(code)}</span>
            {phase === undefined ? '' : ` · phase ${visible(phase)}`}
            {whatToDo === undefined ? null : (
              <>
                {': '}
                {whatToDo} All codes: <span class="mono">guides/reference/errors.md</span> of the package.
              </>
            )}
          </p>
        )}
      </div>
    </Section>
  );
}

/** Of the page; without one, as in tests of a part, there is none. */
const advice = readAdvice(document.getElementById('advice')?.textContent ?? '');

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function Answer(): VNode {
  const store = useStore();
  const { output, text } = store.record.value.root;
  const { kind } = store.outcome.value;
  const goesOn = kind === 'running' || kind === 'waiting';
  const said = text ?? '';
  return (
    <Section title="Answer">
      <div class={isObject(output) ? 'card list' : 'card said'}>
        {isObject(output) ? (
          <Members of={output} />
        ) : output !== undefined ? (
          <Pairs value={output} />
        ) : said === '' ? (
          <Empty>{goesOn ? 'None yet.' : 'None: the run ended before the model was done.'}</Empty>
        ) : (
          <LongText text={said} />
        )}
      </div>
    </Section>
  );
}

/** The members of a structured answer, one a row: texts as they are, and anything else as JSON. */
function Members({ of }: { readonly of: JsonObject }): VNode {
  return (
    <table class="table">
      <tbody>
        {Object.entries(of).map(([name, member]) => (
          <tr key={name}>
            <th scope="row">{visible(name)}</th>
            <td>
              {typeof member === 'string' ? (
                <LongText text={member} />
              ) : (
                <code>
                  <LongText text={JSON.stringify(member)} />
                </code>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Spent(): VNode {
  const store = useStore();
  const record = store.record.value;
  return (
    <Section title="Spent" note={visible(modelsOf(record.root))}>
      <dl class="grid">
        {spentOf(record, store.totals.value.inAllMs).map(({ name, value, note, share }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value} <small>{note}</small>
              {share === undefined ? null : (
                <span class="meter" aria-hidden="true">
                  <i class={share < 100 ? '' : 'full'} style={{ width: `${share}%` }} />
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** Where values were replaced; nothing where none was. */
function Redactions(): VNode | null {
  const store = useStore();
  const isOpen = useSignal(false);
  const { redactions } = store.record.value;
  if (redactions.length === 0) return null;
  return (
    <div class="section mute">
      {`Values were replaced by the redaction in ${many(redactions.length, 'place')}: `}
      <button class="link" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        {isOpen.value ? 'hide' : 'show'}
      </button>
      {isOpen.value ? (
        <ul>
          <Capped items={redactions} noun="place">
            {({ call, turn }, index) => (
              <li key={index}>
                {call !== undefined ? (
                  <CallTitle call={call} />
                ) : turn !== undefined ? (
                  <TurnLink turn={turn} />
                ) : (
                  'The state at the start'
                )}
              </li>
            )}
          </Capped>
        </ul>
      ) : null}
    </div>
  );
}
