import type { ReasoningEffort } from '../../../core/tool/index.ts';

// The part of the AI SDK's model interface that this adapter writes, with its names. Lists are mutable because that is what
// the models accept. The two versions differ in their form of files, and in `reasoning`.

/** Versions of the interface of language models: 3 came with AI SDK 6, 4 with AI SDK 7. */
export type AiSdkVersion = 'v3' | 'v4';

/** JSON, in types that the models accept. */
export type WireJson = null | boolean | number | string | WireJson[] | WireObject;
export type WireObject = { [key: string]: WireJson | undefined };

/** Options or data of providers, by the provider's name. */
export type ProviderOptions = { [provider: string]: WireObject };

/** A file in the format of version 4. */
export type FileDataV4 = { type: 'data'; data: string } | { type: 'url'; url: URL };

/** A file in a message. `data` of version 3 is base64 text or a URL. */
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

/** The output of a tool. */
export type ResultOutput<Version extends AiSdkVersion> =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json' | 'error-json'; value: WireJson }
  | { type: 'content'; value: (TextPart | ResultFile<Version> | CustomResultPart)[] };

/** A part of a result that only the package of its provider knows. Only in version 4. */
export interface CustomResultPart {
  type: 'custom';
  providerOptions: ProviderOptions;
}

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

/** Parts that only version 4 has. They come from the provider and are sent back to it. */
export type PartOfV4 =
  | { type: 'custom'; kind: `${string}.${string}`; providerOptions?: ProviderOptions }
  | { type: 'reasoning-file'; mediaType: string; data: FileDataV4; providerOptions?: ProviderOptions };

/** A part of an answer of the model. */
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

/** A tool that runs here. */
export interface AiSdkFunctionTool {
  type: 'function';
  name: string;
  description: string;
  inputSchema: WireObject;
  /** Whether the provider should enforce the schema. */
  strict: boolean;
  providerOptions?: ProviderOptions;
}

/** A tool that the provider runs. */
export interface AiSdkProviderTool {
  type: 'provider';
  id: `${string}.${string}`;
  name: string;
  args: WireObject;
}

export type AiSdkToolChoice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; toolName: string };

/** A call of a model, as this adapter makes it. */
export interface AiSdkCallOptions<Version extends AiSdkVersion = AiSdkVersion> {
  prompt: PromptMessage<Version>[];
  tools?: (AiSdkFunctionTool | AiSdkProviderTool)[];
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
  /**
   * Only for version 4. `max` is sent, too, and is not in the type: packages that are built on an earlier release of the interface, such as `@ai-sdk/deepseek`
   * 3.0.56, do not name it, and their models would not fit.
   */
  reasoning?: Version extends 'v4' ? Exclude<ReasoningEffort, 'max'> : never;
  headers?: Record<string, string>;
  providerOptions?: ProviderOptions;
  /** Whether a stream shows each event of the provider as well, as it came. */
  includeRawChunks?: boolean;
  abortSignal: AbortSignal;
}
