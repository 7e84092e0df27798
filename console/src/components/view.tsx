import type { ComponentChildren } from 'preact';
import { ApiError, errorMessage } from '../api/client.ts';
import type { Resource } from '../state/resource.ts';
import { Button } from './controls.tsx';
import { Icon, type IconName } from './icon.tsx';

interface ViewHeaderProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly back?: { readonly href: string; readonly title: string };
  readonly children?: ComponentChildren;
}

export const ViewHeader = ({ title, about, back, children }: ViewHeaderProps) => (
  <header class="view-header">
    <div>
      {back && (
        <a class="back" href={back.href}>
          <Icon name="back" size={16} />
          {back.title}
        </a>
      )}
      <h1>{title}</h1>
      {about && <p>{about}</p>}
    </div>
    {children}
  </header>
);

interface EmptyStateProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export const EmptyState = ({ icon, title, children }: EmptyStateProps) => (
  <div class="empty">
    <Icon name={icon} size={28} />
    <h2>{title}</h2>
    {children && <p>{children}</p>}
  </div>
);

interface NothingFoundProps {
  /** `good` if an empty list is what operators want, `quiet` if there is no data. */
  readonly tone: 'good' | 'quiet';
  readonly children: ComponentChildren;
}

export const NothingFound = ({ tone, children }: NothingFoundProps) => (
  <p class="nothing-found" data-tone={tone}>
    <Icon name={tone === 'good' ? 'good' : 'circle'} />
    <span>{children}</span>
  </p>
);

interface TwoLinesProps {
  readonly sub: ComponentChildren;
  readonly isLong?: boolean;
  readonly children: ComponentChildren;
}

export const TwoLines = ({ sub, isLong = false, children }: TwoLinesProps) => (
  <span class={isLong ? 'long-text' : undefined}>
    {children}
    {sub && <span class="sub">{sub}</span>}
  </span>
);

interface FactProps {
  readonly name: string;
  readonly sub?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** An entry of a `dl` with the class `facts`. */
export const Fact = ({ name, sub, children }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {children ?? '–'}
      {sub && <span class="sub">{sub}</span>}
    </dd>
  </div>
);

export const TextWithCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
);

export const Skeleton = ({ lines = 6 }: { readonly lines?: number }) => (
  <div class="skeleton" role="status">
    <span class="visually-hidden">Loading</span>
    {Array.from({ length: lines }, (_, line) => (
      <i key={line} />
    ))}
  </div>
);

const LoadError = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => (
  <div class="error-box" role="alert">
    <div>
      {errorMessage(error)}
      {error instanceof ApiError && error.details.requestId !== '' && (
        <small>
          <br />
          Request <code>{error.details.requestId}</code>
        </small>
      )}
    </div>
    <Button size="small" onClick={retry}>
      Try again
    </Button>
  </div>
);

interface LoadedProps<Data> {
  readonly resource: Resource<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ComponentChildren;
}

export const Loaded = <Data,>({ resource, lines = 6, children }: LoadedProps<Data>) => {
  const { data, error, isLoading, reload } = resource;
  return (
    <>
      {error !== undefined && <LoadError error={error} retry={reload} />}
      {data !== undefined ? children(data) : isLoading && error === undefined && <Skeleton lines={lines} />}
    </>
  );
};
