export type { DroppedOverride } from './override/dropped-override.ts';
export {
  defaultOverridesTag,
  type OverridesSource,
  type OverridesStore,
} from './override/overrides-store.ts';
export {
  type PromptOverrides,
  parseOverrides,
  type SectionOverride,
  type TextOverride,
  type ToolOverride,
} from './override/prompt-overrides.ts';
export { type BoundTool, toBoundTool } from './plan/bound-tool.ts';
export type {
  PromptDescriptor,
  SectionDescriptor,
  ToolDescriptor,
} from './plan/descriptors.ts';
export { hashOfText } from './plan/descriptors.ts';
export type { PromptTemplateOptions } from './plan/plan-prompt.ts';
export type { PromptOutput } from './plan/prompt-output.ts';
export { describeAnswerFormat } from './plan/prompt-output.ts';
export type { ToolParamDescription, ToolParamDescriptions } from './plan/tool-param-descriptions.ts';
export type { Prompt } from './prompt.ts';
export {
  type BindArguments,
  type OutputOf,
  type PromptBindOptions,
  type PromptTemplate,
  promptTemplate,
  type TemplateParts,
} from './prompt-template.ts';
export { type ChoosableParam, choosableSections, chosenText } from './render/chosen-section.ts';
export type { PromptToolsOptions, RenderOptions } from './render/render-prompt.ts';
export type { RenderedPrompt } from './render/rendered-prompt.ts';
export type { CommonSectionOptions, SectionOptions, ToolsSectionOptions } from './section/build-section.ts';
export { section, toolsSection } from './section/build-section.ts';
export { extendSection, type MissingParams, type SectionChanges } from './section/extend-section.ts';
export type { PromptIdentity } from './section/identity.ts';
export type {
  AnySection,
  ResourceBindings,
  Section,
  SectionPrepareContext,
  SectionRenderContext,
} from './section/section.ts';
export type {
  BindParams,
  ChildrenInput,
  DynamicParams,
  NoParams,
  OwnParams,
  SectionInput,
  SectionsInput,
} from './section/section-input.ts';
export type {
  Placeholder,
  PlaceholderNames,
  Placeholders,
  TemplateSource,
  UnknownPlaceholder,
} from './template/placeholders.ts';
export { quotedParam } from './template/quoted-param.ts';
export type { TemplatePart, TemplateText } from './template/template-text.ts';
export {
  isSectionOpen,
  type OpenedSection,
  type OpenSectionsParams,
  openSections,
  readSection,
  SectionsOpened,
  type SectionsOpenedPayload,
  sectionToolNames,
} from './visibility/section-tools.ts';
export type { Visibility, VisibilitySelector } from './visibility/visibility.ts';
export { VisibilityExpansionRequired } from './visibility/visibility.ts';
export {
  ClearVisibility,
  SetVisibility,
  type VisibilityOverride,
  VisibilityOverrides,
} from './visibility/visibility-overrides.ts';
