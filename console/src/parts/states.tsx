import type { ComponentChildren } from 'preact';
import { Refused, sentenceOf } from '../api/refused.ts';
import type { Asked } from '../state/use-asked.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** Where there is nothing, and why that is so. */
export const Empty = (props: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}) => (
  <div class="empty">
    <Icon name={props.icon} size={28} />
    <h3>{props.title}</h3>
    {props.children && <p>{props.children}</p>}
  </div>
);

/** The outline of what is on its way. */
export const Bones = ({ lines = 6 }: { readonly lines?: number }) => (
  <div class="bones" role="status">
    <span class="unseen">Loading</span>
    {Array.from({ length: lines }, (_, line) => (
      <i key={line} />
    ))}
  </div>
);

export const Wrong = ({ error, again }: { readonly error: unknown; readonly again: () => void }) => (
  <div class="wrong" role="alert">
    <div>
      {sentenceOf(error)}
      {error instanceof Refused && error.requestId !== '' && (
        <small>
          <br />
          Request <code>{error.requestId}</code>
        </small>
      )}
    </div>
    <Button size="small" onClick={again}>
      Try again
    </Button>
  </div>
);

/** An answer, or what stands in its place; an old answer stays beside the error of a new question. */
export const Answer = <Data,>(props: {
  readonly asked: Asked<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ComponentChildren;
}) => {
  const { data, error, isLoading, again } = props.asked;
  return (
    <>
      {error !== undefined && <Wrong error={error} again={again} />}
      {data !== undefined
        ? props.children(data)
        : isLoading && error === undefined && <Bones lines={props.lines ?? 6} />}
    </>
  );
};
