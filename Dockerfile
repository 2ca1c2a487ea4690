# One image for every service: Airflow with Tacit in it.
FROM python:3.11-slim

RUN pip install --no-cache-dir uv && useradd --create-home --uid 50000 tacit && mkdir -p /opt/tacit /data \
    && chown tacit /opt/tacit /data
WORKDIR /opt/tacit

# The lock first, so that a change of code does not install everything again. CPU torch: no CUDA in the image.
COPY requirements.lock ./
RUN uv pip install --system --no-cache --torch-backend cpu -r requirements.lock

COPY --chown=tacit . .
RUN uv pip install --system --no-cache --no-deps --no-build-isolation .

USER tacit
ENV AIRFLOW_HOME=/opt/tacit/.airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/tacit/dags \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    GX_ANALYTICS_ENABLED=false
