import type { ReasoningEffort } from '../../tool/index.ts';

// The part of the AI SDK's model interface that this adapter writes, in its words. Lists are mutable because that is what
// the models take. The two versions differ in how they hold files, and in `reasoning`.

/** Versions of the interface of language models: 3 came with AI SDK 6, 4 with AI SDK 7. */
export type AiSdkVersion = 'v3' | 'v4';

/** JSON, in types that the models take. */
export type WireJson = null | boolean | number | string | WireJson[] | WireObject;
export type WireObject = { [key: string]: WireJson | undefined };

/** Options or data of providers, by the provider's name. */
export type ProviderOptions = { [provider: string]: WireObject };

/** A file as version 4 takes it. */
export type FileDataV4 = { type: 'data'; data: string } | { type: 'url'; url: URL };

/** A file in a message. `data` of version 3 is base64 text or an address. */
export interface FilePart<Version extends AiSdkVersion> {
  type: 'file';
  mediaType: string;
  filename?: string;
  data: Version extends 'v4' ? FileDataV4 : string | URL;
  providerOptions?: ProviderOptions;
}

/** A file after the text of a tool result. */
export type ResultFile<Version extends AiSdkVersion> = Version extends 'v4'
  ? { type: 'file'; mediaType: string; filename?: string; data: FileDataV4 }
  :
      | { type: 'file-data' | 'image-data'; data: string; mediaType: string; filename?: string }
      | { type: 'file-url' | 'image-url'; url: string };

export interface TextPart {
  type: 'text';
  text: string;
  providerOptions?: ProviderOptions;
}

export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  providerOptions?: ProviderOptions;
}

export interface CallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: WireJson;
  providerExecuted?: boolean;
  providerOptions?: ProviderOptions;
}

/** What a tool came to. */
export type ResultOutput<Version extends AiSdkVersion> =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json' | 'error-json'; value: WireJson }
  | { type: 'content'; value: ({ type: 'text'; text: string } | ResultFile<Version>)[] };

export interface ResultPart<Version extends AiSdkVersion> {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ResultOutput<Version>;
  providerOptions?: ProviderOptions;
}

export interface ApprovalResponsePart {
  type: 'tool-approval-response';
  approvalId: string;
  approved: boolean;
  reason?: string;
}

/** Parts that only version 4 knows. They come from the provider and go back to it. */
export type PartOfV4 =
  | { type: 'custom'; kind: `${string}.${string}`; providerOptions?: ProviderOptions }
  | { type: 'reasoning-file'; mediaType: string; data: FileDataV4; providerOptions?: ProviderOptions };

/** A piece of what the model said. */
export type AnswerPart<Version extends AiSdkVersion> =
  | TextPart
  | ReasoningPart
  | FilePart<Version>
  | CallPart
  | ResultPart<Version>
  | (Version extends 'v4' ? PartOfV4 : never);

/** One message of the conversation. */
export type PromptMessage<Version extends AiSdkVersion> = (
  | { role: 'system'; content: string }
  | { role: 'user'; content: (TextPart | FilePart<Version>)[] }
  | { role: 'assistant'; content: AnswerPart<Version>[] }
  | { role: 'tool'; content: (ResultPart<Version> | ApprovalResponsePart)[] }
) & { providerOptions?: ProviderOptions };

/** A tool that is called back here. */
export interface FunctionTool {
  type: 'function';
  name: string;
  description: string;
  inputSchema: WireObject;
  /** Whether the provider may hold the model to the schema. */
  strict: boolean;
  providerOptions?: ProviderOptions;
}

/** A tool that the provider runs. */
export interface ProviderTool {
  type: 'provider';
  id: `${string}.${string}`;
  name: string;
  args: WireObject;
}

export type AiSdkToolChoice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; toolName: string };

/** A call of a model, as this adapter makes it. */
export interface AiSdkCallOptions<Version extends AiSdkVersion = AiSdkVersion> {
  prompt: PromptMessage<Version>[];
  tools?: (FunctionTool | ProviderTool)[];
  toolChoice?: AiSdkToolChoice;
  responseFormat?: { type: 'json'; schema: WireObject; name: string };
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  stopSequences?: string[];
  seed?: number;
  /** Only for version 4. */
  reasoning?: Version extends 'v4' ? ReasoningEffort : never;
  headers?: Record<string, string>;
  providerOptions?: ProviderOptions;
  abortSignal: AbortSignal;
}
