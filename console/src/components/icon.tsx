/** In a view box of 20 by 20, drawn as lines. */
const shapes = {
  overview: 'M3 11.5h3l2.5-6 3.5 10 2.5-6.5 1 2.5H17',
  projections: 'M10 3l7 3.5-7 3.5-7-3.5L10 3zM3 10.2l7 3.5 7-3.5M3 13.8l7 3.5 7-3.5',
  parked: 'M3.5 11.5v4h13v-4M3.5 11.5l2.2-7h8.6l2.2 7M3.5 11.5h4l1 2h3l1-2h4',
  jobs: 'M5.5 2.8h6l3.5 3.5v11h-9.5zM11.3 3v3.5h3.5M8 10.5h4.5M8 13.5h4.5',
  devices: 'M3 4.2h14v9.3H3zM7.5 17h5M10 13.5V17',
  outages: 'M3 6.5c4-4 10-4 14 0M6 10c2.3-2.3 5.7-2.3 8 0M10 14v.1M3.5 16.5l13-13',
  completeness: 'M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM12 12l4 4M16 12l-4 4',
  webhooks: 'M10 4.5a2.6 2.6 0 10-1.6 4.6L5.5 14M10 7l3 5.5a2.6 2.6 0 11-1 4M6 16.5h6',
  cluster: 'M3.5 3.5h13v4.5h-13zM3.5 12h13v4.5h-13zM6.3 5.8v.1M6.3 14.3v.1M9 5.8h4.5M9 14.3h4.5',
  doctor:
    'M6 3v4a3.5 3.5 0 007 0V3M5 3h2M12 3h2M9.5 10.5v2a4 4 0 004 4 3 3 0 003-3M16.5 10.2a1.6 1.6 0 100 3.2 1.6 1.6 0 000-3.2z',
  networks:
    'M10 2.8a7.2 7.2 0 100 14.4 7.2 7.2 0 000-14.4zM2.8 10h14.4M10 2.8c-4.2 4.6-4.2 9.8 0 14.4M10 2.8c4.2 4.6 4.2 9.8 0 14.4',
  vendors: 'M3 16.5h14M5 16.5v-6M10 16.5v-12M15 16.5v-8.5',
  events: 'M9 3.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM13 13l4 4M9 6.5v3h2.5',
  registry: 'M10 3v4M10 7h-5.5v3M10 7h5.5v3M2.8 10h3.4v3.4H2.8zM13.8 10h3.4v3.4h-3.4zM8.3 13.4h3.4v3.4H8.3zM10 7v6.4',
  mappings: 'M3 5.5h4M3 10h4M3 14.5h4M13 5.5h4M13 14.5h4M7 5.5l6 9M7 14.5l6-9M7 10h3',
  access: 'M6.8 9.5a3.3 3.3 0 100 6.6 3.3 3.3 0 000-6.6zM9.3 10.5l6.7-6.7M13 6.8l2 2M15.2 4.6l1.6 1.6',
  audit: 'M5 2.8h10v14.4H5zM7.8 6.5h4.4M7.8 9.7h4.4M7.8 12.9h2.4',
  good: 'M10 2.8a7.2 7.2 0 100 14.4 7.2 7.2 0 000-14.4zM6.8 10.2l2.2 2.2 4.3-4.6',
  warning: 'M10 3.2L17.6 16.5H2.4L10 3.2zM10 8.2v4M10 14.2v.3',
  failed: 'M10 2.8a7.2 7.2 0 100 14.4 7.2 7.2 0 000-14.4zM7.5 7.5l5 5M12.5 7.5l-5 5',
  close: 'M5 5l10 10M15 5L5 15',
  back: 'M12 4.5L6.5 10l5.5 5.5',
  keys: 'M2.8 5.5h14.4v9H2.8zM5.8 8.3v.1M8.6 8.3v.1M11.4 8.3v.1M14.2 8.3v.1M6.5 11.7h7',
  system: 'M10 3.2a6.8 6.8 0 100 13.6a6.8 6.8 0 000-13.6zM10 3.2v13.6M7 4v12M4.5 6.2v7.6',
  light:
    'M10 6.8a3.2 3.2 0 100 6.4 3.2 3.2 0 000-6.4zM10 2v1.8M10 16.2V18M2 10h1.8M16.2 10H18M4.3 4.3l1.3 1.3M14.4 14.4l1.3 1.3M15.7 4.3l-1.3 1.3M5.6 14.4l-1.3 1.3',
  dark: 'M16.5 12A7 7 0 018 3.5a7 7 0 108.5 8.5z',
  leave: 'M8 3.5H4v13h4M12.5 6.5L16 10l-3.5 3.5M16 10H8',
  circle: 'M10 6a4 4 0 100 8 4 4 0 000-8z',
  half: 'M10 5a5 5 0 100 10 5 5 0 000-10zM10 5v10',
} as const;

export type IconName = keyof typeof shapes;

/** Hidden from screen readers: the text next to the icon, or the label of its button, conveys the meaning. */
export const Icon = ({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
    <path
      d={shapes[name]}
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
);

export const Brand = () => (
  <>
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="currentColor" />
      <path d="M7 17v-5M12 17V7M17 17v-7" stroke="var(--on-accent)" stroke-width="2.6" stroke-linecap="round" />
    </svg>
    <span>
      popsvc <span>operations</span>
    </span>
  </>
);
