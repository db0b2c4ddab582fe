import type { RunEvent } from '../../core/runtime/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import type { ModelSettings } from '../../core/tool/index.ts';
import { attributesOf, shortText } from './attributes.ts';
import type { AttributeNames } from './names.ts';
import type { OtelAttributes, OtelAttributeValue } from './otel-api.ts';

type RunStart = Extract<RunEvent, { readonly type: 'run-start' }>;

/** What the first event of a run says about all of it. */
export interface AgentFacts {
  readonly agentName: string;
  readonly model: string;
  /** On spans of the run and of its model calls, and on their measurements. */
  readonly modelAttributes: OtelAttributes;
  /** On the spans of model calls. */
  readonly requestAttributes: OtelAttributes;
  /** On the span of the run. */
  readonly agentAttributes: OtelAttributes;
  readonly effects: RunStart['effects'];
}

/**
 * @param names of the attributes.
 * @param hasConversation whether a session that the caller gave is a conversation: one made for a single run is not.
 */
export function factsOf(event: RunStart, names: AttributeNames, hasConversation: boolean): AgentFacts {
  const { namespace, key, hash } = event.prompt;
  const promptName = `${namespace}/${key}`;
  const agentName = event.agent ?? promptName;
  const modelAttributes = attributesOf({
    [names.provider]: event.provider,
    [names.requestModel]: event.model,
  });
  return {
    agentName,
    model: event.model,
    modelAttributes,
    requestAttributes: { ...modelAttributes, ...settingsAttributes(event.settings, names) },
    agentAttributes: attributesOf({
      ...modelAttributes,
      [names.agentName]: agentName,
      [names.agentVersion]: hash,
      [names.promptName]: promptName,
      [names.promptVersion]: hash,
      [names.conversationId]: event.isSessionGiven && hasConversation ? event.sessionId : undefined,
    }),
    effects: event.effects,
  };
}

/** Settings may be anything where the caller has no types: only values of the right kind become attributes. */
function settingsAttributes(settings: ModelSettings, names: AttributeNames): OtelAttributes {
  const { maxOutputTokens, temperature, topP, stopSequences, seed, reasoningEffort } = settings;
  const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
  return attributesOf({
    [names.maxTokens]: number(maxOutputTokens),
    [names.temperature]: number(temperature),
    [names.topP]: number(topP),
    [names.stopSequences]: texts(stopSequences),
    [names.seed]: number(seed),
    [names.reasoningLevel]: typeof reasoningEffort === 'string' ? reasoningEffort : undefined,
  });
}

function texts(value: JsonValue | readonly string[] | undefined): OtelAttributeValue | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  return list.filter((item) => typeof item === 'string').map(shortText);
}
