import type { JSX, VNode } from 'preact';
import type { ConversationItem } from '../../../core/tool/index.ts';
import { type RecordedRequest, type RecordedTurn, turnPrices } from '../../../record/index.ts';
import { lengthOf } from '../../model/phases.ts';
import { messageOf, sharesOf } from '../../model/request.ts';
import { answeredAt, innerName, turnEnd } from '../../model/turns.ts';
import { visible } from '../../model/visible.ts';
import { clock, costOf, count, duration, many, markOf, money, percent } from '../../model/words.ts';
import { eventWords } from '../parts/event-words.ts';
import {
  CallLink,
  CallTitle,
  Capped,
  Empty,
  type Fact,
  Facts,
  Fold,
  Item,
  LongText,
  Section,
  TextBox,
  TurnLink,
} from '../parts/parts.tsx';

/** One turn: the answer of the model, and the request that it answered as a difference from the one before. */
export function TurnView({ turn }: { readonly turn: RecordedTurn }): JSX.Element {
  const { run, response, calls } = turn;
  const outer = run.parent?.call;
  const rejected = turn.events.some(({ event }) => event.type === 'output-rejected');
  return (
    <>
      <p class="crumb">
        {outer === undefined ? (
          visible(run.agent ?? run.promptName)
        ) : (
          <>
            <CallLink call={outer} /> / {visible(innerName(run))}
          </>
        )}
      </p>
      <div class="heading">
        <h2>Turn {turn.number}</h2>
        {rejected ? <span class="outcome superseded">Answer refused</span> : null}
        {response?.error === undefined ? null : <span class="outcome rolled-back">No answer</span>}
      </div>
      <TurnFacts turn={turn} />
      <Answer turn={turn} />
      {calls.length === 0 ? null : (
        <Section title="Calls" note={many(calls.length, 'call')}>
          <Capped items={calls} noun="call">
            {(call) => (
              <Item
                key={call.id}
                mark={markOf(call.outcome)}
                end={call.outcome === undefined ? '…' : duration(lengthOf(call))}
              >
                <CallTitle call={call} />
              </Item>
            )}
          </Capped>
        </Section>
      )}
      <Events turn={turn} />
      <Shares turn={turn} />
      <Request turn={turn} />
    </>
  );
}

function TurnFacts({ turn }: { readonly turn: RecordedTurn }): VNode {
  const { response, calls, run } = turn;
  const usage = response?.usage;
  const cached =
    usage?.cachedInputTokens === undefined
      ? ''
      : `, ${percent(usage.cachedInputTokens, usage.inputTokens ?? 0)} % cached`;
  const { answeredBy, finishReason, isCompacted, timeToFirstPieceMs, model, responseId } = response ?? {};
  const { serviceTier } = response ?? {};
  const prices = turnPrices(turn);
  const answerer = answeredBy ?? model;
  const facts: readonly Fact[] = [
    ['at', clock(turn.request?.atMs ?? turn.startedAtMs)],
    ['model', response && duration(response.durationMs)],
    ['first piece', timeToFirstPieceMs === undefined ? '' : duration(timeToFirstPieceMs)],
    ['calls', calls.length === 0 ? 'none' : duration(turnEnd(turn) - answeredAt(turn))],
    ['in', usage?.inputTokens === undefined ? '' : `${count(usage.inputTokens)}${cached}`],
    ['out', usage?.outputTokens === undefined ? '' : count(usage.outputTokens)],
    ['reasoning', usage?.reasoningTokens ? count(usage.reasoningTokens) : ''],
    ['cost', usage === undefined || prices === undefined ? '' : money(costOf(usage, prices))],
    ['ended by', finishReason],
    ['conversation', isCompacted === true ? 'shortened by the provider' : ''],
    ['answered by', answerer === undefined || answerer === run.model ? '' : visible(answerer)],
    ['service tier', serviceTier === undefined ? '' : visible(serviceTier)],
    ['id', responseId === undefined ? '' : <span class="mono">{visible(responseId)}</span>],
  ];
  return <Facts facts={facts} />;
}

function Answer({ turn }: { readonly turn: RecordedTurn }): VNode {
  const { response, calls } = turn;
  if (response === undefined)
    return (
      <Section
        title="Answer"
        empty={
          turn.request === undefined
            ? 'None: these calls belong to the loop of a program that uses the tools of this runtime.'
            : 'None in this record: it ends before the model answered.'
        }
      />
    );
  const isJson = /^\s*[[{]/.test(response.text);
  return (
    <Section title="Answer" note={calls.length === 0 && response.error === undefined ? 'final' : undefined}>
      {response.error === undefined ? null : (
        <div class="text failed rolled-back">
          {visible(`${response.error.name}: ${response.error.message}`)}
        </div>
      )}
      {response.text === '' ? (
        response.error === undefined ? (
          <Empty>No text{calls.length === 0 ? '' : ', only calls'}.</Empty>
        ) : null
      ) : isJson ? (
        <TextBox label="Answer" text={pretty(response.text)} />
      ) : (
        <p class="lead said">
          <LongText text={response.text} />
        </p>
      )}
      {response.isRedacted ? <p class="mute">Parts of it were redacted when it was recorded.</p> : null}
      {response.reasoning === '' ? null : <Fold summary="Reasoning" text={() => response.reasoning} />}
    </Section>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Events({ turn }: { readonly turn: RecordedTurn }): VNode | null {
  const shown = turn.events.flatMap(({ atMs, event }) => {
    const words = eventWords(event);
    return words === undefined ? [] : [{ atMs, words }];
  });
  if (shown.length === 0) return null;
  return (
    <Section title="What else happened">
      <Capped items={shown} noun="event">
        {({ atMs, words }, index) => (
          <Item key={index} end={clock(atMs)}>
            {visible(words)}
          </Item>
        )}
      </Capped>
    </Section>
  );
}

function Shares({ turn }: { readonly turn: RecordedTurn }): VNode | null {
  const shares = sharesOf(turn);
  const sum = shares.reduce((total, { tokens }) => total + tokens, 0);
  if (sum === 0) return null;
  return (
    <Section title="What the request was made of" note={`about ${many(sum, 'token')}`}>
      <div
        class="shares"
        role="img"
        aria-label={shares.map(({ name, tokens }) => `${name} ${tokens}`).join(', ')}
      >
        {shares.map(({ name, tokens }, index) =>
          tokens > 0 ? <span key={name} class={`share${index}`} style={{ flexGrow: tokens }} /> : null,
        )}
      </div>
      <div class="key">
        {shares.map(({ name, tokens }, index) => (
          <span key={name}>
            <i class={`share${index}`} />
            {name} <b>{count(tokens)}</b>
            {` ${percent(tokens, sum)} %`}
          </span>
        ))}
      </div>
    </Section>
  );
}

function Request({ turn }: { readonly turn: RecordedTurn }): VNode {
  const { request, run } = turn;
  if (request === undefined) return <Section title="Request" empty="None in this record." />;
  const before = run.turns[run.turns.indexOf(turn) - 1];
  const kept = Math.max(0, request.conversation.length - request.added.length);
  const settings = Object.entries(request.settings).filter(([, value]) => value !== undefined);
  return (
    <Section
      title="Request"
      note={
        before === undefined ? (
          'the first'
        ) : (
          <>
            as a difference from <TurnLink turn={before} label={`turn ${before.number}`} />
          </>
        )
      }
    >
      <p class="kept">
        {before === undefined
          ? `${many(request.tools.length, 'tool')}. `
          : `${request.changedInstructions ? 'Other' : 'Same'} instructions, ${request.changedTools ? `other tools, ${request.tools.length}` : `same ${many(request.tools.length, 'tool')}`}. ${many(kept, 'message')} kept${request.removed > 0 ? `, ${many(request.removed, 'message')} removed` : ''}.`}
        {settings.length === 0
          ? ''
          : ` Settings: ${visible(settings.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', '))}.`}
      </p>
      {request.added.length === 0 ? <Empty>No message was added.</Empty> : null}
      <Messages items={request.added} turn={turn} sign="+ " />
      <Parts request={request} turn={turn} />
    </Section>
  );
}

function Messages(props: {
  readonly items: readonly ConversationItem[];
  readonly turn: RecordedTurn;
  readonly sign: string;
}): JSX.Element {
  const { items, turn, sign } = props;
  return (
    <Capped items={items} noun="message">
      {(item, index) => {
        const { role, texts, call, isError } = messageOf(item, turn);
        return (
          <div key={index} class="message">
            <span>{`${sign}${role}`}</span>
            <div>
              {call === undefined ? null : <CallLink call={call} />}
              {texts.map((text, part) => (
                <pre key={part} class={isError ? 'rolled-back' : ''} tabIndex={0}>
                  {text === '' ? '(empty)' : <LongText text={text} />}
                </pre>
              ))}
            </div>
          </div>
        );
      }}
    </Capped>
  );
}

/** The whole of what the model got, folded. */
function Parts(props: { readonly request: RecordedRequest; readonly turn: RecordedTurn }): JSX.Element {
  const { request, turn } = props;
  return (
    <>
      <Fold
        summary={`Instructions, about ${many(request.tokens.instructions, 'token')}`}
        text={() => request.instructions}
      />
      <Fold
        summary={`Tools, ${count(request.tools.length + request.hostedTools.length)}`}
        text={() => toolsText(request)}
      />
      {request.outputSchema === undefined ? null : (
        <Fold summary="Schema of the answer" text={() => JSON.stringify(request.outputSchema, null, 2)} />
      )}
      <Fold summary={`Whole conversation, ${many(request.conversation.length, 'message')}`}>
        {() => <Messages items={request.conversation} turn={turn} sign="" />}
      </Fold>
    </>
  );
}

function toolsText({ tools, hostedTools, toolChoice }: RecordedRequest): string {
  return [
    ...tools.map(
      ({ name, description, inputSchema }) => `${name}\n${description}\n${JSON.stringify(inputSchema)}`,
    ),
    ...hostedTools.map((tool) => `hosted ${JSON.stringify(tool)}`),
    `tool choice: ${JSON.stringify(toolChoice)}`,
  ].join('\n\n');
}
