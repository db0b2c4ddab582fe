import type {
  Citation,
  ConversationItem,
  HostedToolOutputs,
  HostedToolReading,
  ShownSection,
  TokenUsage,
} from '../../tool/index.ts';

/** The outputs of a hosted tool in one turn. */
export interface HostedTurnReading {
  readonly turn: number;
  /** How much text of paused turns comes before that of the turn. */
  readonly textStart: number;
  readonly reading: HostedToolReading;
}

/** The state of a run: plain data, enough to continue from. */
export interface LoopState {
  /** Model calls made so far. */
  turn: number;
  /** Grows at its end; tool results that had to be dropped change their text, and turns that had to be are gone. */
  readonly conversation: ConversationItem[];
  usage: TokenUsage;
  /** The text of the turns before this one that the provider paused: the answer continues it. */
  pausedText: string;
  /** Whether the next turn continues from the last one, which the provider paused, or asked for approvals in: nothing is said in between. */
  isContinued: boolean;
  /** The outputs of the hosted tools, turn by turn. Append-only. */
  readonly hosted: HostedTurnReading[];
  /** What calls showed by opening sections, call by call. Grows at its end only. */
  readonly openings: { readonly callId: string; readonly shown: readonly ShownSection[] }[];
  /** How often handlers wanted sections to be opened. */
  expansions: number;
  /** Input tokens of the last turn; 0 when the next one may take fewer. */
  lastInputTokens: number;
  /** Whether a turn of the model was taken: one that made room for another was not. */
  hasAnswered: boolean;
  /** How often the model was asked again because its answer could not be read. */
  outputRepairs: number;
}

/** A run that has not begun, on an earlier conversation or an empty one, which grows with it. */
export function newLoopState(conversation: ConversationItem[] = []): LoopState {
  return {
    turn: 0,
    conversation,
    usage: {},
    pausedText: '',
    isContinued: false,
    hosted: [],
    openings: [],
    expansions: 0,
    lastInputTokens: 0,
    hasAnswered: false,
    outputRepairs: 0,
  };
}

/** The outputs of the hosted tools of a run, by name. */
export function hostedOutputs({
  hosted,
}: Pick<LoopState, 'hosted'>): Readonly<Record<string, HostedToolOutputs>> {
  const byName = new Map<
    string,
    { readonly [List in keyof HostedToolOutputs]: HostedToolOutputs[List][number][] }
  >();
  for (const { turn, textStart, reading } of hosted) {
    const outputs = byName.get(reading.toolName) ?? { invocations: [], citations: [] };
    byName.set(reading.toolName, outputs);
    outputs.invocations.push(...reading.invocations.map((invocation) => ({ ...invocation, turn })));
    outputs.citations.push(
      ...reading.citations.map((citation) => ({ ...shifted(textStart, citation), turn })),
    );
  }
  return Object.freeze(Object.fromEntries(byName));
}

/** The citation with its span moved by the length of the preceding text. */
function shifted(length: number, citation: Citation): Citation {
  const { span } = citation;
  return span === undefined ? citation : { ...citation, span: [span[0] + length, span[1] + length] };
}
