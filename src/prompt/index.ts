export { describeAnswerFormat } from './answer-format.ts';
export { promptTemplate } from './build-prompt-template.ts';
export { section, toolsSection } from './build-section.ts';
export { extendSection, type MissingParams, type SectionChanges } from './extend-section.ts';
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
export type {
  Placeholder,
  PlaceholderNames,
  Placeholders,
  TemplateSource,
  UnknownPlaceholder,
} from './placeholders.ts';
export type { Prompt, PromptToolsOptions, RenderOptions } from './prompt.ts';
export type {
  PromptDescriptor,
  PromptIdentity,
  SectionDescriptor,
  ToolDescriptor,
} from './prompt-descriptor.ts';
export type { PromptOutput } from './prompt-output.ts';
export type {
  BindArguments,
  OutputOf,
  PromptBindOptions,
  PromptTemplate,
  PromptTemplateOptions,
  TemplateParts,
} from './prompt-template.ts';
export { quoted } from './quoted.ts';
export type { BoundTool, RenderedPrompt } from './rendered-prompt.ts';
export type {
  AnySection,
  ResourceBindings,
  Section,
  SectionParts,
  SectionRenderContext,
} from './section.ts';
export type {
  BindParams,
  ChildrenInput,
  DynamicParams,
  NoParams,
  OwnParams,
  SectionInput,
  SectionOf,
  SectionsInput,
} from './section-input.ts';
export type { CommonSectionOptions, SectionOptions, ToolsSectionOptions } from './section-options.ts';
export {
  isSectionOpen,
  type OpenedSection,
  type OpenSectionsParams,
  openSections,
  SectionsOpened,
  type SectionsOpenedValue,
  type ShownSection,
} from './section-tools.ts';
export type { TemplatePart, TemplateText } from './template-text.ts';
export type { ToolParamDescription, ToolParamDescriptions } from './tool-param-descriptions.ts';
export type { Visibility, VisibilitySelector } from './visibility.ts';
export { VisibilityExpansionRequired } from './visibility-expansion-required.ts';
export {
  ClearAllVisibility,
  ClearVisibility,
  SetVisibility,
  type VisibilityOverride,
  VisibilityOverrides,
  type VisibilityTarget,
} from './visibility-overrides.ts';
