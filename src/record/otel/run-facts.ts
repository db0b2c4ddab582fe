import { none } from '../../core/internal/index.ts';
import type { RunEvent } from '../../core/runtime/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import type { ModelSettings } from '../../core/tool/index.ts';
import { attributesOf, shortText } from './attributes.ts';
import type { AttributeNames } from './names.ts';
import type { OtelAttributes, OtelAttributeValue } from './otel-api.ts';

type RunStart = Extract<RunEvent, { readonly type: 'run-start' }>;

/** A model, as spans have it. */
export interface AskedModel {
  readonly model: string;
  /** On spans of its calls, and on their measurements. */
  readonly modelAttributes: OtelAttributes;
}

/** What the first event of a run says about all of it. */
export interface AgentFacts {
  readonly agentName: string;
  /** The model that the run begins with; on its span and on its measurements. */
  readonly first: AskedModel;
  /** The model that it is with. */
  asked: AskedModel;
  /** All of its models by their names, where it has several. */
  readonly models: ReadonlyMap<string, AskedModel>;
  /** On the spans of model calls, beside the model. */
  readonly settingsAttributes: OtelAttributes;
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
  const first = askedModel(event, names);
  const { models = none } = event;
  return {
    agentName,
    first,
    asked: first,
    models: new Map(models.map((model) => [model.name, askedModel(model, names)])),
    settingsAttributes: settingsAttributes(event.settings, names),
    agentAttributes: attributesOf({
      ...first.modelAttributes,
      [names.agentName]: agentName,
      [names.agentVersion]: hash,
      [names.promptName]: promptName,
      [names.promptVersion]: hash,
      [names.conversationId]: event.isSessionGiven && hasConversation ? event.sessionId : undefined,
    }),
    effects: event.effects,
  };
}

function askedModel(
  { model, provider }: Pick<RunStart, 'model' | 'provider'>,
  names: AttributeNames,
): AskedModel {
  const modelAttributes = attributesOf({ [names.provider]: provider, [names.requestModel]: model });
  return { model, modelAttributes };
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
